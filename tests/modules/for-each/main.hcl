# One block, many resources: over a set, over a map, and over nothing.

param "users" {
  default = ["ada", "grace", "alan"]
}

param "sites" {
  default = {
    shop = { port = 8080, names = ["shop.test", "www.shop.test"] }
    blog = { port = 8081, names = ["blog.test"] }
  }
}

file.directory "home" {
  for_each    = toset(param.users)
  destination = each.key
  mode        = 0755
}

file.content "profile" {
  for_each    = toset(param.users)
  destination = format("%s/profile", file.directory.home[each.key].destination)
  content     = format("# %s\n", each.value)
}

# In a template, each is a record.
file.content "site" {
  for_each    = param.sites
  destination = "{{each.key}}.conf"

  content = <<EOF
listen {{each.value.port}};
server_name {{each.value.names | join " "}};
EOF
}

file.content "unused" {
  for_each    = toset([])
  destination = "never-{{each.key}}"
}

# One instance by its key, and all of them in the order of their keys.
file.content "ports" {
  destination = "ports.txt"
  content     = join("", [for name, site in param.sites : format("%s %d\n", name, site.port)])
  depends     = ["file.content.site"]
}

file.content "shop" {
  destination = "shop.txt"
  content     = "{{lookup `file.content.site[\"shop\"].destination`}}\n"
}
