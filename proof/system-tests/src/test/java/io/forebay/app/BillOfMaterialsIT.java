/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.InputStream;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The bill of materials and the list of licences in the jar name what is in the jar. */
class BillOfMaterialsIT {

  private static final String BILL = "META-INF/sbom/application.cdx.json";
  private static final String LIBRARIES = "BOOT-INF/lib/";

  @Test
  void theBillOfMaterialsListsExactlyTheLibrariesOfTheJar() throws Exception {
    try (JarFile jar = new JarFile(ForebayProcess.JAR.toFile())) {
      ZipEntry bill = jar.getEntry(BILL);
      if (bill == null && System.getenv("CI") == null) {
        abort("the jar was built offline, so Maven left out the bill of materials");
      }
      assertThat(bill).as(BILL).isNotNull();
      Set<String> listed = new TreeSet<>();
      try (InputStream in = jar.getInputStream(bill)) {
        for (JsonNode library : JsonMapper.shared().readTree(in).path("components")) {
          listed.add(file(library));
          assertThat(library.path("licenses")).as("%s", library).isNotEmpty();
        }
      }
      Set<String> shipped = new TreeSet<>();
      jar.stream()
          .map(ZipEntry::getName)
          .filter(name -> name.startsWith(LIBRARIES) && name.endsWith(".jar"))
          .forEach(name -> shipped.add(name.substring(LIBRARIES.length())));
      // The bill also lists starters, which are empty, and so are not in the jar; the jar also has
      // the classes of jarmode, which are part of the loader.
      listed.removeIf(name -> name.startsWith("spring-boot-starter-"));
      shipped.removeIf(name -> name.startsWith("spring-boot-jarmode-tools-"));
      assertThat(listed).hasSizeGreaterThan(80).isEqualTo(shipped);
    }
  }

  private static String file(JsonNode library) {
    String purl = library.path("purl").asString();
    String classifier =
        purl.contains("classifier=") ? "-" + purl.replaceAll(".*classifier=(\\w+).*", "$1") : "";
    return library.path("name").asString()
        + "-"
        + library.path("version").asString()
        + classifier
        + ".jar";
  }

  @Test
  void theJarListsTheLicencesOfItsLibraries() throws Exception {
    try (JarFile jar = new JarFile(ForebayProcess.JAR.toFile());
        InputStream in = jar.getInputStream(jar.getEntry("META-INF/THIRD-PARTY.txt"))) {
      assertThat(new String(in.readAllBytes()))
          .contains("(Apache-2.0)", "(org.hsqldb:hsqldb:", "(org.postgresql:postgresql:");
    }
  }
}
