# expect: bad-meta-argument at 11:18 |file.content.conf| a name in `depends` cannot be computed

file.content "conf" {
  destination = "/tmp/conf"
  content     = "x"
}

file.mode "conf" {
  destination = "/tmp/conf"
  mode        = "0600"
  depends     = [file.content.conf]
}
