# From bare Debian to a running web service: people, packages, files, units and a container.
#
#   converge plan examples/host/main.hcl
#   converge apply -p 'people={"ada":"Ada Lovelace"}' examples/host/main.hcl
#
# It changes users, packages and services: try it on a host that may be thrown away, as in `cargo xtask hosts shell`. The
# packages `corner-httpd` and `corner-tools` come from the repository that `repository` names.

param "repository" {
  default     = "deb [trusted=yes] file:/srv/repository ./"
  description = "Where the packages of the service are, as a line of /etc/apt/sources.list."
}

param "people" {
  type        = "map"
  description = "Who looks after the host: full names by login names."

  default = {
    ada   = "Ada Lovelace"
    grace = "Grace Hopper"
    mary  = "Mary Somerville"
  }
}

param "port" {
  type    = "number"
  default = 8080

  validation {
    condition = param.port > 0 && param.port < 65536
    message   = "there are ports from 1 to 65535"
  }
}

param "image" {
  default     = "nginx"
  description = "The image of the container that shows how the service is doing."
}

param "tag" {
  default = "1.29"
}

param "registry_password" {
  default     = ""
  sensitive   = true
  description = "The password of `keeper` at the registry of the image. Without it, nobody logs in."
}

param "containers" {
  default     = "corner"
  description = "What the names of the container, its network and its volume begin with."
}

module "people.hcl" "people" {
  params {
    people = param.people
  }
}

module "packages.hcl" "packages" {
  params {
    repository = param.repository
  }
}

module "site.hcl" "site" {
  depends = ["module.people", "module.packages"]
}

module "service.hcl" "service" {
  params {
    port = param.port
  }

  depends = ["module.site"]
}

module "container.hcl" "container" {
  params {
    image    = param.image
    tag      = param.tag
    name     = param.containers
    password = param.registry_password
  }
}

file.content "motd" {
  destination = "/etc/motd"
  content     = "{{paramMap `people` | jsonify}} look after http://localhost:{{param `port`}}/\n"
  mode        = 0644
  depends     = ["module.service"]
}
