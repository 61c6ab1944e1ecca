param "port" {}

param "name" {
  default = "web"
}

locals {
  host = format("%s.example.org", param.name)
}
