# expect: ? at 5:17 |"hello| string

file.content "motd" {
  destination = "motd.txt"
  content     = "hello
}
