# An authority, and two certificates that it has signed.

param "domain" {
  default = "example.test"
}

task "directory" {
  check = "test -d ssl"
  apply = "mkdir ssl"
}

task "ca.key" {
  check   = "test -f ssl/ca.key"
  apply   = "openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ssl/ca.key"
  depends = ["task.directory"]
}

task "ca.crt" {
  check   = "openssl x509 -in ssl/ca.crt -noout -checkend 86400"
  apply   = "openssl req -x509 -new -key ssl/ca.key -subj '/CN=ca.{{param `domain`}}' -days 30 -out ssl/ca.crt"
  depends = ["task.ca.key"]
}

module "certificate.hcl" "server" {
  params {
    cn   = "www.{{param `domain`}}"
    name = "server"
  }

  depends = ["task.ca.key", "task.ca.crt"]
}

module "certificate.hcl" "client" {
  params {
    cn   = "client.{{param `domain`}}"
    name = "client"
  }

  depends = ["task.ca.key", "task.ca.crt"]
}

# Is made of both, so it waits for both.
task "bundle" {
  check   = "test -f ssl/bundle.crt"
  apply   = "cat ssl/server.crt ssl/client.crt ssl/ca.crt > ssl/bundle.crt"
  depends = ["module.server", "module.client"]
}
