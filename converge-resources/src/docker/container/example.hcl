# A web server in a container, on a port of this machine that the engine chooses. It is made anew when anything about it
# changes.
param "registry" {
  description = "The registry, with its port where it has one."
  default     = "docker.io"
}

param "image" {
  description = "The name of the image in the registry. It has busybox."
  default     = "library/busybox"
}

param "tag" {
  default = "latest"
}

param "name" {
  description = "The name of the container."
  default     = "converge-example"
}

docker.image "busybox" {
  name = format("%s/%s", param.registry, param.image)
  tag  = param.tag
}

docker.container "web" {
  name    = param.name
  image   = format("%s:%s", docker.image.busybox.name, docker.image.busybox.tag)
  command = ["httpd", "-f", "-p", "80", "-h", "/tmp"]
  ports   = ["127.0.0.1::80"]
  force   = true

  env = {
    GREETING = "hello"
  }
}
