# expect: ? at 4:15 |:| `=`

file.content "motd" {
  destination : "motd.txt"
}
