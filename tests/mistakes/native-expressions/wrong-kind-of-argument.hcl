# expect: expression at 5:27 |"a"| `join` needs a list here

file.content "motd" {
  destination = "motd.txt"
  content     = join(",", "a")
}
