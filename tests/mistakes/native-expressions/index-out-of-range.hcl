# expect: expression at 10:29 |5| the index 5 is out of range

param "hosts" {
  type    = "list"
  default = ["alpha"]
}

file.content "motd" {
  destination = "motd.txt"
  content     = param.hosts[5]
}
