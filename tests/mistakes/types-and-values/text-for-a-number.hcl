# expect: ? at 5:17 |"abc"| abc

file.owner "motd" {
  destination = "motd.txt"
  uid         = "abc"
}
