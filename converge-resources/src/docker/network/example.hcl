# A network that reaches nothing outside, with addresses of its own.
param "name" {
  default = "converge-example"
}

param "subnet" {
  default = "10.213.47.0/24"
}

docker.network "backend" {
  name     = param.name
  internal = true

  labels = {
    purpose = "example"
  }

  ipam_config {
    subnet = param.subnet
  }
}
