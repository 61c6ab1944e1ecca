# A site, with settings of every type.

param "title" {}

param "port" {
  type = "number"
}

param "secure" {
  type    = "bool"
  default = false
}

param "tags" {
  type    = "list"
  default = []
}

param "limits" {
  type = "map"
}

module "page.hcl" "start" {
  params {
    name = "start"
    text = "{{param `title`}}: {{paramList `tags` | join ` and `}}"
  }
}

module "page.hcl" "about" {
  params {
    name = "about"
    text = "{{if eq (param `secure`) `true`}}https{{else}}http{{end}} on port {{param `port`}}"
  }
}

file.content "settings" {
  destination = "settings.json"

  content = jsonencode({
    port   = param.port + 1
    secure = !param.secure
    tags   = param.tags
    limits = param.limits
  })
}
