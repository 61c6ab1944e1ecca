# An image from a registry. `docker login` keeps the credentials for a private one.
param "registry" {
  description = "The registry, with its port where it has one."
  default     = "docker.io"
}

param "image" {
  description = "The name of the image in the registry."
  default     = "library/busybox"
}

param "tag" {
  default = "latest"
}

docker.image "app" {
  name               = format("%s/%s", param.registry, param.image)
  tag                = param.tag
  inactivity_timeout = "1m"
}
