/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files in the page's vendor folder are as their authors published them. */
class VendorLockTest {

  private static final Path PAGE = Path.of("src/main/resources/io/forebay/admin/page");
  private static final Path VENDOR = PAGE.resolve("vendor");
  private static final Set<String> OWN = Set.of("vendor.lock", "LICENSES");

  private record Locked(String name, String version, String file, String sha512) {}

  @Test
  void everyFileIsTheOneThatWasLocked() throws Exception {
    Map<String, String> locked = new TreeMap<>();
    Map<String, String> found = new TreeMap<>();
    for (Locked line : lock()) {
      locked.put(line.file, line.sha512);
      found.put(line.file, sha512(VENDOR.resolve(line.file)));
    }
    assertThat(found).isNotEmpty().isEqualTo(locked);
  }

  @Test
  void theVendorFolderHasOnlyLockedFiles() throws IOException {
    Set<String> files;
    try (var list = Files.list(VENDOR)) {
      files =
          list.map(file -> file.getFileName().toString())
              .collect(Collectors.toCollection(TreeSet::new));
    }
    files.removeAll(OWN);
    assertThat(files).isEqualTo(lock().stream().map(Locked::file).collect(Collectors.toSet()));
  }

  @Test
  void everyPackageComesWithItsLicence() throws IOException {
    String licences = Files.readString(VENDOR.resolve("LICENSES"), UTF_8);
    String notice = Files.readString(Path.of("../NOTICE"), UTF_8);
    for (Locked line : lock()) {
      assertThat(licences).contains(line.name + " " + line.version);
      assertThat(notice).contains(line.name + " " + line.version);
    }
  }

  @Test
  void theBillOfMaterialsHasEveryFile() throws IOException {
    Set<Locked> listed = new HashSet<>();
    JsonNode bill =
        JsonMapper.shared()
            .readTree(Path.of("src/main/resources/META-INF/sbom/admin-page.cdx.json").toFile());
    for (JsonNode library : bill.path("components")) {
      String group = library.path("group").asString("");
      String name = (group.isEmpty() ? "" : group + "/") + library.path("name").asString();
      String version = library.path("version").asString();
      assertThat(library.path("purl").asString())
          .isEqualTo("pkg:npm/%s@%s", name.replace("@", "%40"), version);
      for (JsonNode file : library.path("components")) {
        JsonNode hash = file.path("hashes").path(0);
        assertThat(hash.path("alg").asString()).isEqualTo("SHA-512");
        listed.add(
            new Locked(
                name, version, file.path("name").asString(), hash.path("content").asString()));
      }
    }
    assertThat(listed).isEqualTo(Set.copyOf(lock()));
  }

  @Test
  void thePageLoadsNothingFromElsewhere() throws IOException {
    assertThat(Files.readString(PAGE.resolve("index.html"), UTF_8))
        .doesNotContain("http:", "https:");
  }

  private static List<Locked> lock() throws IOException {
    return Files.readAllLines(VENDOR.resolve("vendor.lock"), UTF_8).stream()
        .map(line -> line.split(" ", -1))
        .map(words -> new Locked(words[0], words[1], words[2], words[3]))
        .toList();
  }

  private static String sha512(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-512");
    try (InputStream in = Files.newInputStream(file)) {
      digest.update(in.readAllBytes());
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
