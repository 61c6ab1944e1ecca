# expect: not-a-number at 9:20 |param `uid`| "abc" is not an integer

param "uid" {
  default = "abc"
}

file.owner "motd" {
  destination = "motd.txt"
  uid         = "{{param `uid`}}"
}
