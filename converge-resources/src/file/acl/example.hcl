# Deployments may write to a folder that the group of the web server may only read.

param "folder" {
  default = "/srv/www"
}

file.directory "www" {
  destination = param.folder
  mode        = "0770"
}

file.acl "www" {
  destination = file.directory.www.destination

  entries = {
    "user:daemon"         = "rwx"
    "default:user:daemon" = "rwx"
  }
}
