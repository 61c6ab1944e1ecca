# expect: not-a-number at 5:17 |"abc"| "abc" is not an integer

file.owner "motd" {
  destination = "motd.txt"
  uid         = "abc"
}
