# expect: unclosed-string at 5:17 |"hello| the string is not closed

file.content "motd" {
  destination = "motd.txt"
  content     = "hello
}
