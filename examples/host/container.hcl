# A container that shows how the service is doing.

param "image" {}

param "tag" {}

param "name" {}

param "password" {
  sensitive = true
}

# The registry asks for a name and a password.
file.directory "docker" {
  destination = "/root/.docker"
  when        = param.password != ""
}

file.content "login" {
  destination = "/root/.docker/config.json"
  when        = param.password != ""
  depends     = ["file.directory.docker"]

  content = jsonencode({
    auths = { (split("/", param.image)[0]) = { auth = base64encode(format("keeper:%s", param.password)) } }
  })
}

docker.image "status" {
  name    = param.image
  tag     = param.tag
  depends = ["file.content.login"]
}

docker.network "status" {
  name = format("%s-net", param.name)
}

docker.volume "status" {
  name   = format("%s-data", param.name)
  labels = { purpose = "status" }
}

docker.container "status" {
  name     = format("%s-status", param.name)
  image    = format("%s:%s", param.image, param.tag)
  env      = { LANG = "C.UTF-8" }
  networks = [docker.network.status.name]
  volumes  = [format("%s:/data", docker.volume.status.name)]
  status   = "running"
  depends  = ["docker.image.status"]
}
