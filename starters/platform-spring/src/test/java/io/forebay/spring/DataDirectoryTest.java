/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class DataDirectoryTest {

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PlatformAutoConfiguration.class))
          .withPropertyValues("forebay.backend=memory");

  @ParameterizedTest
  @CsvSource({"shop, .forebay-shop", "The Shop/2, .forebay-The-Shop-2"})
  void hasTheNameOfTheApplication(String name, String directory) {
    application
        .withPropertyValues("spring.application.name=" + name)
        .run(context ->
            assertThat(context.getBean(DataDirectory.class).path())
                .isEqualTo(Path.of(System.getProperty("user.home"), directory)));
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aNewOneIsLoggedIfThereIsOneWithoutAName(@TempDir Path home, CapturedOutput output)
      throws IOException {
    Path unnamed = Files.createDirectory(home.resolve(".forebay"));
    ApplicationContextRunner shop =
        application.withPropertyValues("spring.application.name=shop", "user.home=" + home);
    shop.run(context -> context.getBean(DataDirectory.class));
    Path named = home.resolve(".forebay-shop");
    assertThat(output).contains(named + " is new").contains("forebay.data=" + unnamed);

    Files.createDirectory(named);
    int before = output.length();
    shop.run(context -> context.getBean(DataDirectory.class));
    assertThat(output.toString().substring(before)).doesNotContain("is new");
  }

  @Test
  void isWhereItIsConfigured() {
    application
        .withPropertyValues("forebay.data=/somewhere/else")
        .run(context ->
            assertThat(context.getBean(DataDirectory.class).path())
                .isEqualTo(Path.of("/somewhere/else")));
  }
}
