use super::*;

fn refusal(path: &Path) -> String {
    Folder::open(path).expect_err("this folder must be refused").to_string()
}

/// Makes the folders that the engine makes, and ends the first start.
fn finish(folder: &Folder) {
    fs::create_dir_all(keyspaces(&folder.tree())).unwrap();
    folder.finish().unwrap();
}

#[test]
fn a_new_folder_is_made_with_its_parents_and_opens_again() {
    let base = tempfile::tempdir().unwrap();
    let path = base.path().join("a/b");
    finish(&Folder::open(&path).unwrap());
    let text = fs::read_to_string(path.join(FORMAT_FILE)).unwrap();
    assert!(text.starts_with("hashrange data folder\nformat 3\ncreated-by hashrange "), "{text}");
    Folder::open(&path).unwrap();
}

#[test]
fn what_a_crash_during_the_first_start_leaves_is_no_obstacle() {
    let base = tempfile::tempdir().unwrap();
    fs::write(base.path().join(FORMAT_FILE_DRAFT), "hashra").unwrap();
    fs::create_dir(base.path().join(TREE_FOLDER)).unwrap();
    fs::write(base.path().join(TREE_FOLDER).join("0.jnl"), "x").unwrap();
    let folder = Folder::open(base.path()).unwrap();
    assert!(!folder.tree().exists());
    finish(&folder);
}

#[test]
fn a_tree_without_its_format_file_is_never_dropped() {
    let base = tempfile::tempdir().unwrap();
    fs::create_dir(base.path().join(TREE_FOLDER)).unwrap();
    assert!(refusal(base.path()).contains("not Hashrange's"));
    assert!(base.path().join(TREE_FOLDER).exists());
}

#[test]
fn a_foreign_folder_is_refused_and_not_touched() {
    let base = tempfile::tempdir().unwrap();
    fs::write(base.path().join("thesis.tex"), "x").unwrap();
    let path = base.path().display();
    assert_eq!(
        refusal(base.path()),
        format!("the folder {path} holds files that are not Hashrange's; choose an empty or a new folder")
    );
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 1);
}

#[test]
fn a_newer_format_is_refused() {
    let base = tempfile::tempdir().unwrap();
    fs::write(base.path().join(FORMAT_FILE), format!("{MAGIC}\nformat 4\nsomething new\n")).unwrap();
    let path = base.path().display();
    assert_eq!(
        refusal(base.path()),
        format!(
            "the folder {path} has format 4 and this release reads up to 3; \
             run the newer Hashrange that wrote it, or choose another folder"
        )
    );
}

#[test]
fn a_folder_with_rows_of_the_older_format_is_refused() {
    let base = tempfile::tempdir().unwrap();
    fs::write(base.path().join(FORMAT_FILE), format!("{MAGIC}\nformat 1\ncreated-by hashrange 0.1.0\n"))
        .unwrap();
    let path = base.path().display();
    assert_eq!(
        refusal(base.path()),
        format!(
            "the folder {path} has format 1 and this release reads 2 to 3; \
             run the older Hashrange that wrote it, or choose another folder"
        )
    );
}

#[test]
fn a_damaged_format_file_is_refused() {
    for text in [
        &b""[..],
        b"something else",
        b"hashrange data folder\nformat x",
        b"hashrange data folder\nformat 0",
        b"hashrange data folder\nformat 7\nchecksum 0123456789abcdef\n",
        b"\xff",
    ] {
        let base = tempfile::tempdir().unwrap();
        fs::write(base.path().join(FORMAT_FILE), text).unwrap();
        let message = refusal(base.path());
        assert!(message.contains("is damaged") && message.contains("restore it from a backup"), "{message}");
    }
}

#[test]
fn no_flipped_bit_makes_a_format_file_one_of_another_release() {
    let base = tempfile::tempdir().unwrap();
    finish(&Folder::open(base.path()).unwrap());
    let file = base.path().join(FORMAT_FILE);
    let whole = fs::read(&file).unwrap();
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, bytes).unwrap();
        match version(base.path()) {
            Ok(Some(FORMAT_VERSION)) | Err(OpenError::Damaged { .. }) => {}
            other => panic!("bit {bit}: {other:?}"),
        }
    }
}

#[test]
fn a_folder_of_a_build_without_checksum_is_opened() {
    let base = tempfile::tempdir().unwrap();
    finish(&Folder::open(base.path()).unwrap());
    fs::write(base.path().join(FORMAT_FILE), format!("{MAGIC}\nformat 3\ncreated-by hashrange 0.1.0\n"))
        .unwrap();
    Folder::open(base.path()).unwrap();
}

#[test]
fn a_folder_opens_once_at_a_time() {
    let base = tempfile::tempdir().unwrap();
    let first = Folder::open(base.path()).unwrap();
    let path = base.path().display();
    assert_eq!(
        refusal(base.path()),
        format!("the folder {path} is open in another process; stop that one, or choose another folder")
    );
    drop(first);
    Folder::open(base.path()).unwrap();
}

#[test]
fn a_path_that_cannot_be_a_folder_is_refused() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("file");
    fs::write(&file, "x").unwrap();
    for path in [file.clone(), file.join("below")] {
        let message = refusal(&path);
        assert!(message.contains("cannot be used") && message.contains("choose another folder"), "{message}");
    }
}
