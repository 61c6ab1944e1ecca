# A module for each entry of a map.

param "databases" {
  default = {
    orders = { port = 5432, replicas = ["b", "c"] }
    users  = { port = 5433, replicas = [] }
  }
}

module "database.hcl" "database" {
  for_each = param.databases

  params {
    name     = each.key
    port     = each.value.port
    replicas = each.value.replicas
  }
}

file.content "list" {
  destination = "databases.txt"
  content     = "{{range $name, $database := paramMap `databases`}}{{$name}}\n{{end}}"
  depends     = ["module.database"]
}

file.content "orders" {
  destination = "orders.txt"
  content     = "{{lookup `module.database[\"orders\"].file.content.config.destination`}}\n"
}
