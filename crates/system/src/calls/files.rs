//! The rows of the table for files and open directories.

/// Appends the rows of files to the rows of a table, and passes all to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! file_calls {
    ($macro:ident $with:tt { $($rows:tt)* }) => { $macro! { $with $($rows)*

    /// The files of a machine.
    ///
    /// Paths are absolute, or relative to the working directory of the process. A missing file is `Ok(None)`
    /// for queries and an error for changes.
    ///
    /// # Links
    ///
    /// Root and the user that the process runs as are trusted; nobody else is. A symbolic link that another
    /// user owns, or that is in a directory of another user, is followed only to files of that user. In a
    /// directory where everybody may create files (`/tmp`), links of others are not followed. These rules
    /// hold for every link on the path, and for reading as well. A refused link is
    /// [`ForeignLink`](super::SystemErrorKind::ForeignLink). Real directories and files are used whoever owns
    /// them.
    ///
    /// A file may have several names, one of them in a directory of another user who does not own the file.
    /// Through that name the file is not changed in place, and only read if everybody may read it:
    /// [`ForeignName`](super::SystemErrorKind::ForeignName).
    ///
    /// A path is resolved once, and the operation applies to the result. Nobody can substitute another file
    /// in between.
    trait Files,
    /// [`Files`] that differ from others in some methods; see [`WrapSystem`].
    ///
    /// [`Files::read`] calls [`read_head`](Self::read_head) and cannot be overridden. Content is written by
    /// [`write`](Self::write), [`write_in_place`](Self::write_in_place), [`stage`](Self::stage), and through
    /// [open directories](Self::open_dir). To observe all writes, override all four.
    trait WrapFiles(wrapped_files) {
        calls {
            /// Returns the metadata, or `None` if the path does not exist.
            async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError>
                => Reads "files.metadata" FilesMetadata;

            /// Reads at most the first `limit` bytes of a file, otherwise like [`read`](Self::read).
            ///
            /// To compare a file with known content, ask for one byte more than the content has.
            async fn read_head(&self, path: &Path, limit: u64) -> Result<Option<FileContent>, SystemError>;

            /// Opens a file for reading, following links, or returns `None` if the path does not exist.
            ///
            /// A directory is an error.
            async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError>
                => Reads "files.open" FilesOpen;

            /// Writes a whole file atomically and durably.
            ///
            /// After a crash or power failure at any moment, the path has the old file or the new one; once
            /// this has returned, the new one. The content reaches the disk before the file gets its name,
            /// and the name before this returns.
            ///
            /// A symbolic link at the path stays, and its target is replaced. Another hard link of the file
            /// keeps the old content. Anything but a file is an error.
            ///
            /// A file whose owner and mode are kept also keeps its access control list and its extended
            /// attributes; if that fails, nothing is written. A given mode sets the mask of the list, as
            /// [`set_mode`](Self::set_mode) does. A file that is a mount point by itself, such as
            /// `/etc/hosts` in containers, cannot be replaced. It is overwritten
            /// [in place](Self::write_in_place), which is not atomic.
            ///
            /// The local system first writes to an unnamed file. If it replaces another file, it has a random
            /// name in the same directory for a moment. If the file system does not support unnamed files, it
            /// has that name for the whole write. The next run that replaces a file in the directory removes
            /// leftovers of killed runs. A path with such a name is
            /// [`ReservedName`](super::SystemErrorKind::ReservedName).
            async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError>;

            /// Overwrites an existing file in place. **This is not atomic.**
            ///
            /// Use it only for files that cannot be replaced: kernel files (`/proc/sys`) and devices. Use
            /// [`write`](Self::write) for all others. A reader may see partial content meanwhile. If this fails, is killed or its future is
            /// dropped, partial content may remain.
            ///
            /// The file keeps its owner, mode and other names. Afterwards it is as long as `content`, unless
            /// it has no length. The content is offered in one write, as kernel files require. Nothing is
            /// created: a missing file is [`NotFound`](super::SystemErrorKind::NotFound). Links are followed
            /// as elsewhere. A file under a name that another user may have given it is not changed; see
            /// [`may_change`](Self::may_change). A pipe or a socket is an error. When this returns, the
            /// content has reached the disk, if there is one.
            async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError>
                => Changes "files.write-in-place" FilesWriteInPlace;

            /// Returns the existing file from which a file written at the path inherits owner, group and
            /// mode.
            ///
            /// Returns `None` if there is no file, or if nothing is inherited from its owner.
            async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError>
                => Reads "files.inherited" FilesInherited;

            /// Begins to write a file piece by piece.
            ///
            /// Its commit replaces the path as [`write`](Self::write) does.
            async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError>
                => Changes "files.stage" FilesStage;

            /// Creates an unnamed file.
            ///
            /// This does not count as a change of the machine, as no other process can see it.
            async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError>
                => Reads "files.scratch" FilesScratch;

            /// Creates a temporary directory with a unique name.
            ///
            /// Its parent is the temporary directory of the machine (`TMPDIR`, `/tmp`), or `/tmp` below the
            /// [root](super::LocalSystemBuilder::root) of a tenant.
            async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError>
                => Reads "files.temp-dir" FilesTempDir;

            /// Creates a directory with exactly these permission bits, regardless of the umask.
            ///
            /// Its parent must exist.
            async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError>
                => Changes "files.create-dir" FilesCreateDir;

            /// Waits until entries created or removed in this directory are on disk.
            async fn sync_dir(&self, path: &Path) -> Result<(), SystemError>
                => Reads "files.sync-dir" FilesSyncDir;

            /// Waits until all earlier changes on the file systems of these paths are on disk.
            ///
            /// The changes include new directories and links, owners, permissions and removals. The path of a
            /// removed file stands for the file system that it was on.
            async fn flush(&self, paths: &[&Path]) -> Result<(), SystemError>;

            /// Opens a directory, following links, or returns `None` if the path does not exist.
            ///
            /// Anything but a directory is an error.
            async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>
                => Reads "files.open-dir" FilesOpenDir;

            /// Returns the entries of a directory, sorted by path.
            async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError>
                => Reads "files.read-dir" FilesReadDir;

            /// Changes permission bits, following links.
            ///
            /// If the file has an access control list, the bits of the group are the mask of the list.
            async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError>
                => Changes "files.set-mode" FilesSetMode;

            /// Changes owner and group.
            ///
            /// This clears the set-uid and set-gid bits of files, so set the mode afterwards.
            async fn set_ownership(&self, path: &Path, ownership: Ownership, follow: Follow) -> Result<(), SystemError>
                => Changes "files.set-ownership" FilesSetOwnership;

            /// Checks whether the mode and the owner of a file may be changed.
            ///
            /// Returns an error if [`set_mode`](Self::set_mode) and [`set_ownership`](Self::set_ownership)
            /// would refuse. The reason is that the file does not exist, or the other names that it has. A
            /// check can thus report the error of an apply.
            async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError>
                => Reads "files.may-change" FilesMayChange;

            /// Returns the extended attributes of a file or directory by name, among them its access control
            /// list; see [`Acl`](crate::Acl).
            ///
            /// Returns `None` if the path does not exist. A file system without such attributes has none.
            /// Attributes that the caller may not see, such as `trusted.*`, are left out.
            async fn extended_attributes(&self, path: &Path, follow: Follow) -> Result<Option<Vec<ExtendedAttribute>>, SystemError>
                => Reads "files.extended-attributes" FilesExtendedAttributes;

            /// Sets an extended attribute, following links.
            ///
            /// An access control list also sets the permission bits; see [`Acl::mode`](crate::Acl::mode).
            async fn set_extended_attribute(&self, path: &Path, name: &str, value: &[u8]) -> Result<(), SystemError>
                => Changes "files.set-extended-attribute" FilesSetExtendedAttribute;

            /// Removes an extended attribute, following links. A missing one is no error.
            async fn remove_extended_attribute(&self, path: &Path, name: &str) -> Result<(), SystemError>
                => Changes "files.remove-extended-attribute" FilesRemoveExtendedAttribute;

            /// Returns the target of a symbolic link, or `None` if the path does not exist.
            async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError>
                => Reads "files.read-link" FilesReadLink;

            /// Creates a symbolic link at `path` that points to `target`.
            async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError>
                => Changes "files.symlink" FilesSymlink;

            /// Returns the identity of the file at a path, or `None` if the path does not exist.
            async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError>
                => Reads "files.inode" FilesInode;

            /// Gives the file at `existing` a further name, `path`.
            ///
            /// Both names refer to the same file until one of them is replaced. A symbolic link at the end of
            /// `existing` is not followed, and only files can be linked. The path is resolved once, and the
            /// file found gets the name. A file that [may not be changed](Self::may_change) through
            /// `existing` gets no further name.
            ///
            /// Another file system is [`OtherFileSystem`](super::SystemErrorKind::OtherFileSystem). A file
            /// that the kernel protects is [`ProtectedFile`](super::SystemErrorKind::ProtectedFile).
            async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError>
                => Changes "files.hard-link" FilesHardLink;

            /// Renames a file or directory, and replaces an existing file.
            ///
            /// If both are names of one file, nothing happens and both stay.
            async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError>
                => Changes "files.rename" FilesRename;

            /// Removes a file or a link.
            ///
            /// A missing file is an error.
            async fn remove_file(&self, path: &Path) -> Result<(), SystemError>
                => Changes "files.remove-file" FilesRemoveFile;

            /// Removes an empty directory.
            async fn remove_dir(&self, path: &Path) -> Result<(), SystemError>
                => Changes "files.remove-dir" FilesRemoveDir;
        }
        provided {
            /// Commits several files of this system together, with fewer waits for the disk than one by one.
            ///
            /// Each file has the same guarantees as in a single commit. A file that cannot be committed has
            /// an error of its own and does not affect the others. There is one result per file, in their
            /// order. Each file stays open until then, so a caller with many files commits them in batches of
            /// some hundred.
            async fn commit_all(&self, staged: Vec<(Box<dyn StagedFile>, CommitFile)>) -> Vec<Result<(), SystemError>> {
                let mut results = Vec::with_capacity(staged.len());
                for (staged, commit) in staged {
                    results.push(staged.commit(commit).await);
                }
                results
            }
        }
        fixed {
            /// Reads a whole file, following links, or returns `None` if the path does not exist.
            ///
            /// A directory is an error.
            async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError> {
                self.read_head(path, u64::MAX).await
            }
        }
    }

    /// An open directory.
    ///
    /// Operations through it apply to that directory, even if its path leads elsewhere by now. Work on a tree
    /// through open directories, never through concatenated paths.
    ///
    /// A `name` is that of one entry: no slash, not empty, neither `.` nor `..`. Any other is
    /// [`InvalidPath`](super::SystemErrorKind::InvalidPath). Links are never followed, except by
    /// [`open_below`](Self::open_below). A missing entry is `Ok(None)` for queries and an error for changes.
    /// Creating an entry fails if the name exists, except that a staged file replaces a file or a link.
    ///
    /// ```
    /// use converge_core::system::{Directory, FileKind, SystemError};
    ///
    /// /// Counts the files in a tree.
    /// async fn count(root: Box<dyn Directory>) -> Result<usize, SystemError> {
    ///     let mut files = 0;
    ///     let mut open = vec![root];
    ///     while let Some(directory) = open.pop() {
    ///         for entry in directory.entries().await? {
    ///             match entry.kind {
    ///                 // It may have gone since it was listed.
    ///                 FileKind::Directory => open.extend(directory.open_dir(&entry.name).await?),
    ///                 FileKind::File => files += 1,
    ///                 _ => {}
    ///             }
    ///         }
    ///     }
    ///     Ok(files)
    /// }
    /// ```
    trait Directory,
    /// A [`Directory`] that differs from another one in some methods; see [`WrapSystem`].
    trait WrapDirectory(wrapped_directory) {
        plain {
            /// Returns the path by which it was opened, for messages.
            fn path(&self) -> &Path;
        }
        calls {
            /// Returns the metadata of the directory itself.
            async fn own_metadata(&self) -> Result<Metadata, SystemError>
                => Reads "dir.own-metadata" DirOwnMetadata;
            /// Returns the entries, sorted by name.
            async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> => Reads "dir.entries" DirEntries;
            /// Returns the metadata of an entry, or `None` if it does not exist.
            async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError>
                => Reads "dir.metadata" DirMetadata;

            /// Opens a subdirectory, or returns `None` if there is no entry of this name.
            ///
            /// Any other kind of entry is an error.
            async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError>
                => Reads "dir.open-dir" DirOpenDir;

            /// Opens a directory below this one by a path, or returns `None` if the path does not exist.
            ///
            /// Links are followed as by [`Files`], but only to targets within this directory; others are
            /// [`Outside`](super::SystemErrorKind::Outside). The [`path`](Self::path) of the result consists
            /// of the path of this directory and the link-free names below it.
            async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>
                => Reads "dir.open-below" DirOpenBelow;

            /// Opens a file for reading, or returns `None` if there is no entry of this name.
            ///
            /// Any other kind of entry is an error.
            async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError>
                => Reads "dir.open" DirOpen;
            /// Returns the target of a symbolic link, or `None` if there is no entry of this name.
            async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError>
                => Reads "dir.read-link" DirReadLink;

            /// Begins to write a file.
            ///
            /// Its commit replaces a file or a link of this name.
            async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError>
                => Changes "dir.stage" DirStage;
            /// Creates a directory with exactly these permission bits, regardless of the umask.
            async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>
                => Changes "dir.create-dir" DirCreateDir;
            /// Creates a symbolic link that points to `target`.
            async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.symlink" DirSymlink;
            /// Returns the identity of an entry's file, or `None` if the entry does not exist.
            async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError>
                => Reads "dir.inode" DirInode;

            /// Gives the file at a path of [`Files`] a further name in this directory; see
            /// [`Files::hard_link`].
            async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.hard-link" DirHardLink;

            /// Changes permission bits.
            ///
            /// It is an error for a link.
            async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>
                => Changes "dir.set-mode" DirSetMode;
            /// Changes owner and group, also of a link itself; see [`Files::set_ownership`].
            async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError>
                => Changes "dir.set-ownership" DirSetOwnership;
            /// Checks whether an entry may be changed; see [`Files::may_change`].
            async fn may_change(&self, name: &OsStr) -> Result<(), SystemError>
                => Reads "dir.may-change" DirMayChange;

            /// Returns the extended attributes of an entry; see [`Files::extended_attributes`].
            async fn extended_attributes(&self, name: &OsStr) -> Result<Option<Vec<ExtendedAttribute>>, SystemError>
                => Reads "dir.extended-attributes" DirExtendedAttributes;

            /// Renames an entry within the directory, and replaces an existing file.
            ///
            /// If both are names of one file, nothing happens and both stay.
            async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError>
                => Changes "dir.rename" DirRename;

            /// Removes a file or a link.
            ///
            /// A missing entry is an error.
            async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.remove-file" DirRemoveFile;
            /// Removes an empty directory.
            async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError>
                => Changes "dir.remove-dir" DirRemoveDir;
            /// Waits until entries created or removed in this directory are on disk.
            async fn sync(&self) -> Result<(), SystemError> => Reads "dir.sync" DirSync;
        }
    }

    } };
}
