# A web server in a container, on a port of this machine. It is made anew when anything about it changes.
param "registry" {
  description = "The registry, with its port where it has one."
  default     = "docker.io"
}

param "image" {
  default = "library/busybox:latest"
}

param "name" {
  default = "converge-example"
}

docker.container "web" {
  name    = param.name
  image   = "${param.registry}/${param.image}"
  command = ["httpd", "-f", "-p", "80", "-h", "/tmp"]
  ports   = ["127.0.0.1::80"]
  force   = true

  env = {
    GREETING = "hello"
  }
}
