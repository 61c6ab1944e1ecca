# expect: expression at 5:17 |hello| `hello` is not a variable

file.content "motd" {
  destination = "motd.txt"
  content     = hello
}
