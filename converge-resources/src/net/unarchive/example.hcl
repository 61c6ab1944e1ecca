# Packs a file into an archive, and unpacks it elsewhere.
param "folder" {
  default = "/srv/unarchive"
}

file.directory "files" {
  destination = "{{param `folder`}}/files"
  create_all  = true
}

task "pack" {
  check = "test -f {{param `folder`}}/files.tar.gz"
  apply = "echo hello >{{param `folder`}}/hello && tar -C {{param `folder`}} -czf {{param `folder`}}/files.tar.gz hello"

  depends = ["file.directory.files"]
}

unarchive "files" {
  source      = "{{param `folder`}}/files.tar.gz"
  destination = file.directory.files.destination

  depends = ["task.pack"]
}
