# Texts that lie next to the module: as they are, and as templates.

param "sites" {
  default = [
    { name = "shop.test", port = 8080 },
    { name = "blog.test", port = 8081 },
  ]
}

file.content "motd" {
  destination = "motd.txt"
  content     = file("texts/motd.txt")
}

file.content "sites" {
  destination = "sites.conf"
  content     = templatefile("texts/sites.conf.tmpl", { sites = param.sites, user = "www" })
}

file.content "checksum" {
  destination = "motd.sha256"
  content     = format("%s  motd.txt\n", sha256(file("texts/motd.txt")))
}
