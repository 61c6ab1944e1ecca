# expect: ? at 10:29 |5| 5

param "hosts" {
  type    = "list"
  default = ["alpha"]
}

file.content "motd" {
  destination = "motd.txt"
  content     = param.hosts[5]
}
