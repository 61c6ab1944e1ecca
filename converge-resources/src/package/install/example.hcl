# A package that has the same name everywhere.

param "package" {
  default = "mc"
}

package.install "it" {
  name = param.package
}
