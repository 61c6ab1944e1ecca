# sample-crate: a folder with a greeting.
#
#   converge plan -p folder=/tmp/sample-crate main.hcl

param "folder" {
  type        = "string"
  description = "The folder, which is made if it is not there."

  validation {
    condition = startswith(param.folder, "/")
    message   = "the folder begins with /"
  }
}

param "who" {
  default     = "World"
  description = "Who is greeted."
}

file.directory "folder" {
  destination = param.folder
}

file.content "greeting" {
  destination = "{{lookup `file.directory.folder.destination`}}/greeting.txt"
  content     = "Hello, {{param `who`}}!\n"
}
