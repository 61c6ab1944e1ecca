# An application at a tag of its repository, with files that belong to the user who runs it.

param "repository" {
  default = "/srv/git/app.git"
}

param "revision" {
  default = "v1.0"
}

git.checkout "app" {
  repository  = param.repository
  destination = "/srv/app"
  revision    = param.revision
  user        = "app"
}
