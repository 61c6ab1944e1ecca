# Three uses of a module need one folder, and none of them waits for another. What they declare alike is made once.
param "folder" {
  default = "keys"
}

module "key.hcl" "server" {
  params {
    folder = "{{param `folder`}}"
    name   = "server"
  }
}

module "key.hcl" "client" {
  params {
    folder = "{{param `folder`}}"
    name   = "client"
  }
}

module "key.hcl" "other" {
  params {
    folder = "{{param `folder`}}"
    name   = "other"
  }
}
