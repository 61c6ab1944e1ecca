# expect: expression at 9:37 |prot| no `prot` in the map

param "site" {
  default = { port = 80 }
}

file.content "motd" {
  destination = "motd.txt"
  content     = tostring(param.site.prot)
}
