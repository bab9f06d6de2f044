//! The format of AWS's tools: `[profile]`, then `aws_access_key_id = …` and so on.

use super::{Draft, Found, Mistake};

const NAMES: [&str; 3] = ["aws_access_key_id", "aws_secret_access_key", "aws_account_id"];

/// Reads every profile that has a key. Profiles without one, such as those of roles, and settings that are not about
/// keys are for other programs.
pub(super) fn parse(text: &str) -> Result<Vec<Found>, Mistake> {
    let mut found = Vec::new();
    let mut profile: Option<Draft> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let text = line.trim();
        // An indented line belongs to the setting before it, unless it is one of ours: some people indent all of them.
        let is_nested = line.starts_with([' ', '\t']) && !text.starts_with("aws_");
        if is_nested || text.is_empty() || text.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            if !rest.contains(']') {
                return Err(Mistake::new(number, "the name of a profile ends with ]: write [name]"));
            }
            finish(profile.replace(Draft { line: number, ..Draft::default() }), &mut found)?;
            continue;
        }
        let draft = profile
            .as_mut()
            .ok_or_else(|| Mistake::new(number, "this line stands in no profile: put [default] before it"))?;
        setting(draft, number, text)?;
    }
    finish(profile, &mut found)?;
    Ok(found)
}

/// The lines of one profile, by its name, with their header; `None` where there is none of that name.
pub(super) fn section(text: &str, name: &str) -> Option<String> {
    let is_header = |line: &&str| line.starts_with('[');
    let of_header =
        |line: &str| line.strip_prefix('[')?.split_once(']').map(|(inside, _)| inside.trim().to_owned());
    let mut lines = text.lines().skip_while(|line| of_header(line).as_deref() != Some(name));
    let header = lines.next()?;
    let lines: Vec<&str> = std::iter::once(header).chain(lines.take_while(|line| !is_header(line))).collect();
    Some(lines.join("\n"))
}

fn setting(draft: &mut Draft, number: usize, line: &str) -> Result<(), Mistake> {
    let Some((name, value)) = line.split_once('=') else {
        return Err(Mistake::new(number, "this line is no setting: write name = value"));
    };
    let place = match name.trim().to_ascii_lowercase().as_str() {
        "aws_access_key_id" => &mut draft.access_key,
        "aws_secret_access_key" => &mut draft.secret_key,
        "aws_session_token" | "aws_security_token" => &mut draft.session_token,
        "aws_account_id" => &mut draft.account,
        _ => return Ok(()),
    };
    let value = value.trim();
    if value.is_empty() {
        return Err(Mistake::new(
            number,
            format!("{} has no value: write one or leave the line out", name.trim()),
        ));
    }
    *place = Some(value.to_owned());
    Ok(())
}

fn finish(profile: Option<Draft>, found: &mut Vec<Found>) -> Result<(), Mistake> {
    if let Some(draft) = profile.filter(|draft| draft.access_key.is_some() || draft.secret_key.is_some()) {
        found.push(draft.finish(NAMES)?);
    }
    Ok(())
}
