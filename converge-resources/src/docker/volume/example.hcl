# A volume that outlives the containers that use it.
param "name" {
  default = "converge-example"
}

docker.volume "data" {
  name = param.name

  labels = {
    purpose = "example"
  }
}
