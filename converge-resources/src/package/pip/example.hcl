# A virtual environment with one package, from the wheels in a folder.

param "folder" {
  default = "/srv/app/venv"
}

param "package" {
  default = "hello"
}

package.pip "app" {
  name       = param.package
  venv       = param.folder
  extra_args = ["--no-index", "--find-links=/srv/wheels"]
}
