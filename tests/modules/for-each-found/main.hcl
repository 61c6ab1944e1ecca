# One resource for each file that is found, whichever there are when the run comes to it.

param "names" {
  default = ["shop", "blog"]
}

file.directory "in" {
  destination = "in"
}

file.content "site" {
  for_each    = param.names
  destination = format("in/%s.conf", each.key)
  content     = format("server_name %s.test;\n", each.key)
}

file.query "sites" {
  glob    = "in/*.conf"
  depends = ["file.content.site"]
}

file.directory "out" {
  destination = "out"
}

# A map gives each record its key, and keys name the instances.
file.content "copy" {
  for_each    = { for site in file.query.sites.files : basename(site.path) => site.path }
  destination = format("out/%s", each.key)
  content     = format("include %s;\n", each.value)
}

# What names it waits for all of them, and so does a lookup of one.
file.content "list" {
  destination = "list.txt"
  content     = join("", [for key, copy in file.content.copy : format("%s -> %s\n", key, copy.destination)])
}

file.content "shop" {
  destination = "shop.txt"
  content     = format("%s\n", file.content.copy["shop.conf"].destination)
}
