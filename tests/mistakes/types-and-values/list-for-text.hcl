# expect: wrong-type at 4:17 |["motd.txt"]| expected a string, found a list

file.content "motd" {
  destination = ["motd.txt"]
}
