# expect: out-of-range at 5:17 |-1| -1 is out of range

file.owner "motd" {
  destination = "motd.txt"
  uid         = -1
}
