# The kernel of the machine, for a file that names it.

param "folder" {
  default = "/tmp"
}

task.query "kernel" {
  query = "uname -r | tr -d '\n'"
}

file.content "kernel" {
  destination = "{{param `folder`}}/converge-kernel"
  content     = "{{lookup `task.query.kernel.status.stdout`}}\n"
}
