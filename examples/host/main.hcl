# From bare Debian to a running web service: people, packages, files, units and a container, without a line of shell.
#
#   converge plan --params-file corner.json examples/host/main.hcl
#   converge apply --params-file corner.json -p 'people={"ada":"Ada Lovelace"}' examples/host/main.hcl
#   converge apply --params-file corner.json --tags people examples/host/main.hcl
#
# `corner.json` gives at least `repository_key` and `repository_fingerprint`, which are yours. It changes users, packages and
# services: try it on a host that may be thrown away, as in `cargo xtask hosts shell`. The packages `corner-httpd` and
# `corner-tools` come from the repository that `repository` names.

param "repository" {
  default     = "file:/srv/repository"
  description = "Where the packages of the service are."
}

param "repository_key" {
  description = "The key with which the repository is signed, as text."
}

param "repository_fingerprint" {
  description = "The fingerprint of that key, all of it."
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

param "keys" {
  type        = "map"
  default     = {}
  description = "The keys of SSH with which they log in, by login names."
}

param "name" {
  default     = "corner.example.org"
  description = "The name by which the service is known."
}

param "port" {
  type    = "number"
  default = 8080

  validation {
    condition = param.port > 0 && param.port < 65536
    message   = "there are ports from 1 to 65535"
  }
}

param "kernel" {
  type        = "bool"
  default     = true
  description = "Whether the running kernel is told its settings. A container shares its kernel with others, and may not."
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

assert "debian" {
  condition = platform.LinuxDistribution == "debian"
  message   = "this host is made of packages of Debian"
}

module "people.hcl" "people" {
  tags    = ["people"]
  depends = ["assert.debian"]

  params {
    people = param.people
    keys   = param.keys
  }
}

module "packages.hcl" "packages" {
  depends = ["assert.debian"]

  params {
    repository  = param.repository
    key         = param.repository_key
    fingerprint = param.repository_fingerprint
  }
}

module "machine.hcl" "machine" {
  depends = ["assert.debian"]

  params {
    name   = param.name
    kernel = param.kernel
  }
}

module "site.hcl" "site" {
  depends = ["module.people", "module.packages"]
}

module "service.hcl" "service" {
  depends = ["module.site"]

  params {
    name = param.name
    port = param.port
  }
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
  content     = "{{paramMap `people` | values | join `, `}} look after http://{{param `name`}}:{{param `port`}}/\n"
  mode        = 0644
  depends     = ["module.service"]
}
