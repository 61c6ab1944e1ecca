# expect: expression at 5:17 |hello| `hello` is no variable

file.content "motd" {
  destination = "motd.txt"
  content     = hello
}
