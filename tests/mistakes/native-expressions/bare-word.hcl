# expect: ? at 5:17 |hello| hello

file.content "motd" {
  destination = "motd.txt"
  content     = hello
}
