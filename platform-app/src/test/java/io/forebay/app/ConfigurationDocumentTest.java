/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/**
 * The page has the descriptions of the metadata for IDEs. After a change of properties
 *
 * <pre>mvn test -pl platform-app -am -Dtest=ConfigurationDocumentTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dforebay.docs.write=true</pre>
 *
 * regenerates the page.
 */
class ConfigurationDocumentTest {

  private static final Path PAGE = Path.of("../docs/configuration.md");
  private static final Pattern GENERATED =
      Pattern.compile(
          "(<!-- generated from[^>]*: begin -->\\n).*(<!-- generated: end -->)", Pattern.DOTALL);
  private static final Pattern EXAMPLE = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void everyPropertyHasADescriptionAndADefaultOrDescribesItsAbsence() {
    assertThat(PropertyTables.properties())
        .isNotEmpty()
        .allSatisfy(property -> {
          assertThat(property.description())
              .as("the description of %s", property.name())
              .matches(Pattern.compile("\\p{Lu}.*\\.", Pattern.DOTALL));
          if (property.defaultValue() == null) {
            assertThat(property.description())
                .as("%s has no default and says what that means", property.name())
                .containsAnyOf("none:", "required");
          }
        });
  }

  @Test
  void hintsAreForPropertiesThatExist() {
    assertThat(PropertyTables.hints())
        .hasSize(3)
        .allSatisfy(hint ->
            assertThat(PropertyTables.properties())
                .extracting(PropertyTables.Property::name)
                .contains(hint.replaceFirst("\\.(keys|values)$", "")));
  }

  @Test
  void thePageHasThePropertiesOfTheMetadata() throws Exception {
    String page = Files.readString(PAGE);
    Matcher generated = GENERATED.matcher(page);
    assertThat(generated.find()).isTrue();
    String expected =
        generated.replaceFirst(
            Matcher.quoteReplacement(
                generated.group(1) + PropertyTables.markdown() + generated.group(2)));
    if (Boolean.getBoolean("forebay.docs.write")) {
      Files.writeString(PAGE, expected);
    } else {
      assertThat(page).isEqualTo(expected);
    }
  }

  /** The check at a start looks only at records of which a property is given. */
  @Test
  void theDefaultsAreValid() {
    ClassPathScanningCandidateComponentProvider scan =
        new ClassPathScanningCandidateComponentProvider(false);
    scan.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
    List<Class<?>> records =
        scan.findCandidateComponents("io.forebay").stream()
            .<Class<?>>map(it -> ClassUtils.resolveClassName(it.getBeanClassName(), null))
            .filter(Class::isRecord)
            .toList();
    assertThat(records).hasSizeGreaterThan(10);
    try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
      for (Class<?> record : records) {
        String prefix = record.getAnnotation(ConfigurationProperties.class).value();
        Object defaults = new Binder().bindOrCreate(prefix, Bindable.of(record));
        assertThat(factory.getValidator().validate(defaults)).as(prefix).isEmpty();
      }
    }
  }

  static List<String> examples() throws Exception {
    return EXAMPLE.matcher(Files.readString(PAGE)).results().map(it -> it.group(1)).toList();
  }

  @Configuration(proxyBeanMethods = false)
  static class Nothing {}

  /** A start checks the configuration before anything else. */
  @ParameterizedTest
  @MethodSource("examples")
  void theExamplesAreValid(String yaml) throws Exception {
    Path file = Files.writeString(directory.resolve("example.yaml"), yaml);
    new SpringApplicationBuilder(Nothing.class)
        .web(WebApplicationType.NONE)
        .run("--spring.config.location=file:" + file)
        .close();
  }

  @Test
  void theOptionsOfTheJvmAreTheOnesOfTheBuild() throws Exception {
    String page = Files.readString(PAGE);
    assertThat(ManagementFactory.getRuntimeMXBean().getInputArguments())
        .filteredOn(it -> it.startsWith("--"))
        .hasSizeGreaterThan(3)
        .allSatisfy(option -> assertThat(page).contains("| `" + option + "` |"));
  }
}
