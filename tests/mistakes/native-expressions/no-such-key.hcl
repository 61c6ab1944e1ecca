# expect: ? at 9:26 |param.site.prot| prot

param "site" {
  default = { port = 80 }
}

file.content "motd" {
  destination = "motd.txt"
  content     = tostring(param.site.prot)
}
