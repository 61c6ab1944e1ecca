# expect: ? at 9:20 |param `uid`| abc

param "uid" {
  default = "abc"
}

file.owner "motd" {
  destination = "motd.txt"
  uid         = "{{param `uid`}}"
}
