# expect: unknown-resource at 10:31 |`file.content.grating.destination`| lookup of `file.content.grating.destination`

switch "language" {
  case "true" "yes" {
    file.content "greeting" {
      destination = "a.txt"
    }

    file.mode "greeting" {
      destination = "{{lookup `file.content.grating.destination`}}"
      mode        = 0644
    }
  }
}
