# Whether a package is installed, and in which version.

param "package" {
  default = "bash"
}

package.query "it" {
  name = param.package
}

file.content "report" {
  destination = "/tmp/converge-package-query.txt"
  content     = package.query.it.installed ? format("%s %s\n", param.package, package.query.it.version) : "not installed\n"
}
