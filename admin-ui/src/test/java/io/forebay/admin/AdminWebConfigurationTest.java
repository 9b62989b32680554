/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

class AdminWebConfigurationTest {

  @Test
  void thePageDoesNotStartIfNothingDecidesWhoMayUseIt() {
    WebApplicationContextRunner page =
        new WebApplicationContextRunner().withUserConfiguration(AdminWebConfiguration.class);
    page.run(context ->
        assertThat(context)
            .getFailure()
            .rootCause()
            .hasMessageContaining("nothing decides who may use the admin page"));
    page.withBean(AdminAccess.Checked.class).run(context -> assertThat(context).hasNotFailed());
  }
}
