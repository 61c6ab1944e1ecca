# A default may refer to other parameters, and a module may be given what is only known when it runs.

param "name" {
  default = "web"
}

param "dir" {
  default = "{{param `name`}}-data"
}

param "file" {
  default = format("%s/state", param.dir)
}

file.directory "data" {
  destination = param.dir
}

task.query "id" {
  query = "printf %s 4711"
}

module "state.hcl" "state" {
  params {
    path  = param.file
    id    = "{{lookup `task.query.id.status.stdout`}}"
    where = file.directory.data.destination
  }
}
