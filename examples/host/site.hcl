# What the service shows.

param "pages" {
  type = "map"

  default = {
    index = "Welcome"
    about = "About us"
    hours = "Open from nine to five"
  }
}

file.directory "root" {
  destination = "/srv/web"
  mode        = 0755
  owner       = "web"
}

file.directory "pages" {
  destination = format("%s/pages", file.directory.root.destination)
  mode        = 0755
}

file.directory "uploads" {
  destination = format("%s/uploads", file.directory.root.destination)
}

file.owner "uploads" {
  destination = file.directory.uploads.destination
  user        = "web"
  group       = "editors"
}

file.mode "uploads" {
  destination = file.directory.uploads.destination
  mode        = "u=rwx,g=rwxs,o=rx"
  depends     = ["file.owner.uploads"]
}

file.content "page" {
  for_each    = param.pages
  destination = format("%s/%s.html", file.directory.pages.destination, each.key)
  content     = "<!doctype html>\n<title>{{each.value}}</title>\n<p>{{each.value}}.\n"
  mode        = 0644
}

file.content "robots" {
  destination = format("%s/robots.txt", file.directory.pages.destination)
  content     = "User-agent: *\nDisallow: /uploads/\n"
  mode        = 0644
}

file.fetch "icon" {
  source      = "/usr/share/corner-httpd/icon.png"
  destination = format("%s/icon.png", file.directory.pages.destination)
  mode        = 0644
}

file.directory "styles" {
  destination = format("%s/styles", file.directory.pages.destination)
  mode        = 0755
}

unarchive "styles" {
  source      = "/usr/share/corner-httpd/styles.tar.gz"
  destination = file.directory.styles.destination
}
