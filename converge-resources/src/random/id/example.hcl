# A folder whose name nobody guesses.

param "above" {
  default = "/srv"
}

random.id "folder" {
  bytes = 12
}

file.directory "hidden" {
  destination = format("%s/%s", param.above, random.id.folder.hex)
}
