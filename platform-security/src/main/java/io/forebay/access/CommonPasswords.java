/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Finds passwords that attackers try first: those made of few parts, where a part is a common word,
 * a row of a keyboard or an alphabet, a year, a repetition, or any other single character.
 * Passwords of {@link Passwords#SHORTEST} random characters have at least that many parts.
 */
public final class CommonPasswords {

  /** Fewer parts are common. */
  private static final int FEWEST_PARTS = 6;

  /** The shortest run of a row; two neighbours also occur by chance. */
  private static final int SHORTEST_RUN = 3;

  private static final Pattern YEAR = Pattern.compile("(19|20)\\d\\d");

  private static final List<String> ROWS =
      List.of(
          "abcdefghijklmnopqrstuvwxyz",
          "01234567890",
          "qwertyuiop",
          "qwertzuiop",
          "azertyuiop",
          "asdfghjkl",
          "zxcvbnm",
          "yxcvbnm",
          "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
          "!@#$%^&*()");

  private static final List<String> WORDS =
      List.of(
          "administrator",
          "admin",
          "root",
          "user",
          "guest",
          "login",
          "master",
          "system",
          "server",
          "service",
          "database",
          "oracle",
          "postgres",
          "forebay",
          "queue",
          "operator",
          "viewer",
          "password",
          "passwort",
          "motdepasse",
          "contrasena",
          "passphrase",
          "passwd",
          "pass",
          "secret",
          "geheim",
          "changeme",
          "change",
          "default",
          "letmein",
          "welcome",
          "willkommen",
          "hello",
          "test",
          "temp",
          "demo",
          "example",
          "access",
          "private",
          "security",
          "company",
          "iloveyou",
          "love",
          "princess",
          "sunshine",
          "monkey",
          "dragon",
          "shadow",
          "superman",
          "batman",
          "pokemon",
          "starwars",
          "football",
          "baseball",
          "basketball",
          "michael",
          "jordan",
          "jennifer",
          "charlie",
          "thomas",
          "daniel",
          "jessica",
          "ashley",
          "trustno",
          "freedom",
          "whatever",
          "computer",
          "internet",
          "google",
          "samsung",
          "winter",
          "spring",
          "summer",
          "autumn",
          "sommer",
          "january",
          "monday",
          "london",
          "berlin",
          "qwerty",
          "asdf",
          "hunter",
          "killer",
          "ninja",
          "mustang",
          "cheese",
          "flower",
          "cookie",
          "hallo",
          "schatz");

  private CommonPasswords() {}

  /**
   * Whether attackers would try the password early.
   *
   * @param user the name of its user, which counts as a word
   */
  public static boolean contains(String password, String user) {
    String lower = password.toLowerCase(Locale.ROOT);
    return parts(lower, plain(lower), user.toLowerCase(Locale.ROOT)) < FEWEST_PARTS;
  }

  /** Letters instead of the digits and signs that are written for them. */
  private static String plain(String text) {
    String signs = "@430158$7!";
    String letters = "aaeoisbsti";
    StringBuilder plain = new StringBuilder();
    text.chars()
        .forEach(c -> {
          int sign = signs.indexOf(c);
          plain.append(sign < 0 ? (char) c : letters.charAt(sign));
        });
    return plain.toString();
  }

  /** The smallest number of parts that the text consists of. */
  private static int parts(String text, String plain, String name) {
    int[] fewest = new int[text.length() + 1];
    for (int end = 1; end <= text.length(); end++) {
      fewest[end] = fewest[end - 1] + 1;
      for (int begin = 0; begin < end - 1; begin++) {
        if (fewest[begin] + 1 < fewest[end]
            && (isPart(text, begin, end) || isWord(text, plain, begin, end, name))) {
          fewest[end] = fewest[begin] + 1;
        }
      }
    }
    return fewest[text.length()];
  }

  private static boolean isWord(String text, String plain, int begin, int end, String name) {
    String part = text.substring(begin, end);
    return part.equals(name) || WORDS.contains(part) || WORDS.contains(plain.substring(begin, end));
  }

  private static boolean isPart(String text, int begin, int end) {
    String part = text.substring(begin, end);
    return isOneCharacter(part)
        || text.indexOf(part) < begin
        || YEAR.matcher(part).matches()
        || part.length() >= SHORTEST_RUN && isRun(part);
  }

  private static boolean isOneCharacter(String part) {
    return part.chars().allMatch(c -> c == part.charAt(0));
  }

  private static boolean isRun(String part) {
    String reversed = new StringBuilder(part).reverse().toString();
    return ROWS.stream().anyMatch(row -> row.contains(part) || row.contains(reversed));
  }
}
