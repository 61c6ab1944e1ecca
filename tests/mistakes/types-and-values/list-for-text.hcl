# expect: ? at 4:17 |["motd.txt"]| list

file.content "motd" {
  destination = ["motd.txt"]
}
