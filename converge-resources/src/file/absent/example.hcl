# A folder of a version that nobody uses any more, gone with everything in it, and the file that named it.

param "folder" {
  default = "/tmp"
}

file.absent "version" {
  destination = "{{param `folder`}}/converge-old-version"
  recursive   = true
}

file.absent "note" {
  destination = "{{param `folder`}}/converge-old-version.txt"
}
