# expect: expression at 5:17 |join| `join` takes at least 2 arguments

file.content "motd" {
  destination = "motd.txt"
  content     = join(",")
}
